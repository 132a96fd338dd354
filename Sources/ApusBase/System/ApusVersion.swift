/// The version of the package, said in one place.
package enum ApusVersion {
  package static let current = "0.1.0"
}
