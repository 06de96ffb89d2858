import Testing

@testable import Enriching

@Suite("Names of formats in a sentence") struct ArticleTests {
  @Test(
    arguments: [
      "a WebP image", "an HTML page", "an SVG image", "an AVIF image", "a HEIC image sequence",
      "a JPEG XL image",
      "an empty file", "an M3U playlist", "an MPEG transport stream", "an MP4 fragment", "a Matroska video",
      "a 3GPP video", "an xz archive", "a RAR archive", "a RIFF file of type “x”", "an ID3 tag without audio",
      "an IFF header without content", "an M4B audiobook", "an Apple icon", "a contact (vCard)",
      "a JSON document",
      "FLAC audio", "AAC audio in ADTS", "MP2 audio (MPEG Layer II)", "True Audio", "RealAudio", "RealMedia",
      "Windows Media (ASF)", "MIDI music in RIFF", "unknown data",
      "unknown data; libmagic takes FLAC audio for 'image/x-tga': reinstall it",
      "plain text", "base64 text", "WebVTT subtitles", "Monkey’s Audio behind an ID3 tag",
      "Ogg audio or video", "unknown data that starts with “SND1”", "HLS AAC behind an ID3 tag",
      "HLS E-AC-3 behind an ID3 tag", "markup behind an ID3 tag", "a disk image",
      "application/x-thing", "",
    ])
  func article(sentence: String) {
    let bare = sentence.split(separator: " ", maxSplits: 1)
    let name = ["a", "an"].contains(bare.first ?? "") ? String(bare[1]) : sentence
    #expect(name.withArticle == sentence)
  }
}
