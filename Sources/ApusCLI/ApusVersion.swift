/// The version of the package, said in one place.
enum ApusVersion {
  static let current = "0.1.0"
}
