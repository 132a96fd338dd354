// What a keyboard would suggest.
//
//   swift run --package-path Examples suggest-words Weights/keyboard/shipped "see you tom"

import ApusText

guard CommandLine.arguments.count == 3 else {
  print("usage: suggest-words FOLDER TEXT")
  throw CancellationError()
}
let suggester = try KeyboardSuggester(folder: CommandLine.arguments[1])
let found = try suggester.suggestions(for: KeyboardRequest(CommandLine.arguments[2]))
for suggestion in found.suggestions { print(suggestion.word) }
