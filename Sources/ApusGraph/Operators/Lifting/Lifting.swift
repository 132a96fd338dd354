// How an operator computes on tensors of any type, written once:
//
//     FLOAT, FLOAT16, BFLOAT16   in `Float`: the sixteen-bit types are widened before, and results rounded once, at the end
//     DOUBLE                     in `Double`
//     integers                   in their own width, where sums and products wrap around
//
// What is computed is a type of its own, and its form follows from what the operator takes:
//
//     one tensor, and one of its type out          FloatingFunction     floating(function)
//         integers in their own width              NumberFunction       numbers(function)
//         integers through DOUBLE, and cut         FloatingFunction     throughDouble(function)
//     two tensors of one type, integers as well    ArithmeticFunction   combine(function, a, b)
//     anything else: more inputs or outputs,       FloatingOperator     floating(X<Float>(…), X<Double>(…))
//     constants that are laid out in advance
//         its integers                             WholeNumberVisitor   dataType.visitWholeNumber(visitor)
//
// An operator that has integers besides asks for `dataType.isFloatingPoint` first, as Gemm does; a function of a tensor that is
// at hand already is `evaluate(function, x)`, as in CumSum.
// Where everything is computed in `Double`, whatever the type, `GraphValue(rounding:to:)` brings it back.
//
// A function is a type, not a pair of closures. Each type gets loops of its own, with the function inside; and closures
// that only call a generic function of another module make the optimiser of Swift 6.3 crash.
