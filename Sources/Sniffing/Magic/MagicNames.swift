/// Common names of the types that libmagic reports, except those with a `Signature`.
enum MagicNames {
  static let names: [String: String] = [
    "image/bmp": "BMP image", "image/x-ms-bmp": "BMP image", "image/tiff": "TIFF image",
    "image/svg+xml": "SVG image", "image/vnd.microsoft.icon": "Windows icon",
    "image/x-win-bitmap": "Windows cursor", "image/x-icns": "Apple icon", "image/jxl": "JPEG XL image",
    "image/jxr": "JPEG XR image", "image/jls": "JPEG-LS image", "image/jp2": "JPEG 2000 image",
    "image/jpx": "JPEG 2000 image", "image/jpm": "JPEG 2000 document",
    "image/x-jp2-codestream": "JPEG 2000 codestream", "image/vnd.adobe.photoshop": "Photoshop image",
    "image/vnd.djvu": "DjVu document", "image/x-canon-cr2": "Canon CR2 raw image",
    "image/x-canon-crw": "Canon CRW raw image", "image/x-fuji-raf": "Fujifilm raw image",
    "image/x-olympus-orf": "Olympus raw image", "image/x-exr": "OpenEXR image", "image/x-dpx": "DPX image",
    "image/x-qoi": "QOI image", "image/x-xcf": "GIMP image", "image/x-portable-bitmap": "PBM image",
    "image/x-portable-graymap": "PGM image", "image/x-portable-greymap": "PGM image",
    "image/x-portable-pixmap": "PPM image", "image/x-portable-arbitrarymap": "PAM image",
    "image/x-xpixmap": "XPM image", "image/bpg": "BPG image", "image/wmf": "WMF image",
    "image/fits": "FITS image",

    "audio/ogg": "Ogg audio", "audio/midi": "MIDI music", "audio/x-hx-aac-adif": "AAC audio in ADIF",
    "audio/x-hx-aac-adts": "AAC audio in ADTS", "audio/x-mp4a-latm": "AAC audio in LATM",
    "audio/vnd.dolby.dd-raw": "AC-3 audio", "audio/x-pn-realaudio": "RealAudio", "audio/x-dsf": "DSD audio",
    "audio/x-dff": "DSD audio", "audio/x-w64": "Wave64 audio",

    "video/ogg": "Ogg video", "video/webm": "WebM video", "video/x-matroska": "Matroska video",
    "video/x-flv": "Flash video (FLV)", "video/x-ms-asf": "Windows Media (ASF)",
    "video/MP2T": "MPEG transport stream", "video/x-mng": "MNG animation", "video/x-jng": "JNG image",
    "video/x-fli": "FLI animation", "video/x-flc": "FLC animation", "video/x-dv": "DV video",
    "video/x-sgi-movie": "SGI movie",

    "application/ogg": "Ogg audio or video", "application/mxf": "MXF video",
    "application/vnd.rn-realmedia": "RealMedia", "application/x-shockwave-flash": "Flash animation",
    "application/x-empty": "empty file", "application/pdf": "PDF document",
    "application/postscript": "PostScript document", "application/zip": "ZIP archive",
    "application/gzip": "gzip archive", "application/x-gzip": "gzip archive",
    "application/x-bzip2": "bzip2 archive", "application/x-xz": "xz archive",
    "application/zstd": "Zstandard archive", "application/x-7z-compressed": "7-Zip archive",
    "application/x-rar": "RAR archive", "application/x-tar": "tar archive",
    "application/x-executable": "executable", "application/x-sharedlib": "shared library",
    "application/x-mach-binary": "executable",
    "application/vnd.microsoft.portable-executable": "Windows executable",
    "application/vnd.android.package-archive": "Android package",
    "application/java-archive": "Java archive", "application/epub+zip": "EPUB book",
    "application/vnd.sqlite3": "SQLite database", "application/wasm": "WebAssembly module",

    "text/rtf": "RTF document", "text/html": "HTML page", "text/xml": "XML document",
    "text/vtt": "WebVTT subtitles", "text/calendar": "calendar (iCalendar)", "text/vcard": "contact (vCard)",
  ]
}
