/// What may stand at a place of a JSON text (RFC 8259). The parser's states, and what its errors name as
/// missing.
package enum JSONExpectation: String, Equatable, Sendable {
  case value = "a value"
  case valueOrBracket = "a value or “]”"
  case name = "a member name in double quotes"
  case nameOrBrace = "a member name in double quotes or “}”"
  case colon = "“:”"
  case commaOrBracket = "“,” or “]”"
  case commaOrBrace = "“,” or “}”"
  case endOfText = "nothing more"

  case literal = "true, false or null"
  case digit = "a digit"
  case closingQuote = "a closing double quote"
  case escape = #"one of " \ / b f n r t u after a backslash"#
  case hexadecimalDigit = #"four hexadecimal digits after \u"#
  case escapedControlCharacter = #"a control character as an escape, such as \n"#
}
