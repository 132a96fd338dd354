/// The 21 behaviours of the classifier, in the order of its output.
///
/// The raw value is the label; ``labels`` lists them by output index. Several differ by context rather than by motion
/// (stay, wait, heel, leave_it): a pose alone cannot tell them apart.
public enum DogBehavior: String, CaseIterable, Sendable, Hashable {
  case sit, down, stand, stay, lying, heel, come, fetch, drop, wait
  case leaveIt = "leave_it"
  case walking, trotting, running, jumping, spinning, rolling, playing, alert, sniffing, looking

  /// The 21 labels by output index, from 0 `sit` to 20 `looking`.
  public static let labels = allCases.map(\.rawValue)
}
