// Who uses tensors meets errors, files and numbers too: what the ground floor has comes with this module.
@_exported import ApusBase
