"""Cases of operators on strings and of the models of ai.onnx.ml, most with the values that ONNX Runtime gives."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_cases import Cases, one_node, reference, runtime

cases = Cases("text")
random = np.random.default_rng(20250202)
FLOAT, INT64, STRING, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL


def strings(*values):
    return np.array(values, object)


def add(name, op, inputs, types, expected=runtime, opset=21, domain="", version=None, tolerance=1e-5, **attributes):
    model = one_node(op, inputs, outputs=len(types), opset=opset, domain=domain, types=types, **attributes)
    if domain:
        model.opset_import[1].version = version
    cases.add(name, model, inputs, expected, rtol=tolerance, atol=tolerance)


def ml(name, op, inputs, types, expected=runtime, version=3, tolerance=1e-5, **attributes):
    add(name, op, inputs, types, expected, opset=18, domain="ai.onnx.ml", version=version, tolerance=tolerance,
        **attributes)


# Strings.
add("concat_stretched", "StringConcat", [strings("a", "é").reshape(2, 1), strings("", "x", "日本")], [STRING],
    lambda m, i: [i[0] + i[1]])
add("concat_nothing", "StringConcat", [strings().reshape(0, 2), strings("a", "b")], [STRING],
    lambda m, i: [np.zeros((0, 2), object)])
texts = strings("  a b   c ", "", "a\tb", "no", "\u00a0x\u2003y ")
add("split_words", "StringSplit", [texts], [STRING, INT64], lambda m, i: [np.array(
    [[*t.split(), "", "", ""][:3] for t in i[0]], object), np.array([len(t.split()) for t in i[0]])])
add("split_words_once", "StringSplit", [strings("a  b c", "d", " e  f g")], [STRING, INT64], lambda m, i: [
    strings("a", "b c", "d", "", "e", "f g").reshape(3, 2), np.array([2, 1, 2])], maxsplit=1)
add("split_never", "StringSplit", [strings("a,b", "")], [STRING, INT64], lambda m, i: [
    strings("a,b", "").reshape(2, 1), np.array([1, 1])], delimiter=",", maxsplit=0)
add("split_long_delimiter", "StringSplit", [strings("a==b====c", "==", "=").reshape(3, 1)], [STRING, INT64],
    lambda m, i: [np.array([[[*t.split("=="), "", "", ""][:4]] for t in i[0].ravel()], object),
                  np.array([[len(t.split("=="))] for t in i[0].ravel()])], delimiter="==")
days = strings("Monday", "tuesday", "WEDNESDAY", "Straße", "monday")
for action in ("NONE", "LOWER", "UPPER"):
    for sensitive in (0, 1):
        kept = [d for d in days if not (d == "monday" if sensitive else d.lower() == "monday")]
        change = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}[action]
        add(f"normalizer_{action.lower()}_{sensitive}", "StringNormalizer", [days], [STRING],
            [strings(*map(change, kept))], case_change_action=action, is_case_sensitive=sensitive, stopwords=["monday"])
add("normalizer_all_dropped", "StringNormalizer", [strings("a", "A").reshape(1, 2)], [STRING],
    [strings("").reshape(1, 1)], stopwords=["a"])

# Regular expressions: what RE2 says, by way of ONNX Runtime.
PATTERNS = [
    "", "a", "a*", "a+b?", "(a|b)*c", "a{2}", "a{2,}", "a{1,3}b", "a{,3}", "x{0}", "(ab){2,3}", "(?:a|ab)(?:c|bcd)",
    ".", ".*", "(?s).*", "(?s:.)\\n", "a.c", "^a$", "a^b", "(?m)a$\\n^b", "\\Aab\\z", "\\bfoo\\b.*", "\\Boo", "a\\Bb",
    "[abc]", "[^abc]", "[a-c]+", "[^a-c]*", "[]a]+", "[^]a]+", "[a-]+", "[-a]+", "[a\\]b]+", "[\\d-]+", "[[:alpha:]]+",
    "[[:^digit:]]+", "[^[:space:]]*", "\\d+", "\\D+", "\\w+", "\\W+", "\\s+", "\\S*", "[\\w.]+@[\\w.]+", "[^\\W]+",
    "(?i)straße", "(?i)ABC", "(?i:a)B", "(?i)[a-c]+", "(?i)[^a]", "a(?i)b", "(?i)k", "(?-i:a)",
    "(?P<year>\\d{4})-\\d\\d",
    "(?<n>a)", "\\x41", "\\x{1F600}", "\\Qa.b*\\E", "\\Qa", "\\.", "\\*", "\\t\\n\\r\\f\\v\\a", "\\pL+",
    "\\p{Lu}\\p{Ll}*",
    "\\PL", "\\p{^Lu}", "[\\p{L}\\d]+", "é", "[à-ü]+", "日本.?", "a|", "|a", "()", "(|a)+", "(a*)*", "(a|aa)+", "(a+)+b",
    "(?U)a+", "a+?", "a??", "a{2,3}?", "\\101", "(x+x+)+y", "((a{0,20}){0,20}){0,2}", "[\\x00-\\x7f]*", "a}", "a{",
    "a{1",
    "a{1,2", "(?i)ſ", "$", "^", "^*", "\\z", "(?i)[[:upper:]]+", "[^\\n]", "a\\pN",
]
SUBJECTS = [
    "", "a", "b", "ab", "abc", "aab", "aaa", "aaaa", "abab", "ababab", "c", "abcabcc", "abcd", "\n", "a\n", "\nb",
    "a\nb",
    "foo", "foo bar", "oo", "]", "]a", "-a-", "a-b", "a]b", "12", "1-2", "A", "ABC", "aBc", "B", "straße", "STRASSE",
    "STRAßE", "k", "K", "\u212a", "2024-05", "😀", "a.b*", "a.", ".", "*", "\t\n\r\f\v\a", "Éa", "Élan", "é",
    "e\u0301", "àü",
    "日本", "日本語", "a@b.c", "first.last@mail.example", " ", "\u00a0", " \t", "a_1", "a{,3}", "x{0}", "a{", "a{1",
    "a{1,2", "a}",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a" * 50, "ſ", "s", "dz", "x1", "a5", "a-x", "ax", "aaab", "abcbcd",
]
for first in range(0, len(PATTERNS), 12):
    nodes, outputs = [], []
    for index, pattern in enumerate(PATTERNS[first : first + 12]):
        nodes.append(helper.make_node("RegexFullMatch", ["x"], [f"y{index}"], pattern=pattern))
        outputs.append(helper.make_tensor_value_info(f"y{index}", BOOL, None))
    declared = helper.make_tensor_value_info("x", STRING, [len(SUBJECTS)])
    graph = helper.make_graph(nodes, "regex", [declared], outputs)
    cases.add(f"regex_{first:02}", helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=8),
              [strings(*SUBJECTS)], runtime)

# n-grams.
pool = dict(ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6], min_gram_length=1, max_gram_length=2,
            pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7])
row = np.array([1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8], np.int32)
for mode in ("TF", "IDF", "TFIDF"):
    for skips in (0, 1, 5, 2**40):
        weights = {} if mode == "TF" else {"weights": [0.5, 1.5, 2, 2.5, 3, 3.5, 4]}
        add(f"tfidf_{mode.lower()}_{skips}", "TfIdfVectorizer", [row.reshape(2, 6) if skips == 1 else row], [FLOAT],
            mode=mode, max_skip_count=min(skips, 20) if skips > 5 else skips, **pool, **weights)
add("tfidf_strings", "TfIdfVectorizer", [strings("a", "b", "é", "a", "b", "é", "z")], [FLOAT], mode="TF",
    max_skip_count=1, ngram_counts=[0, 1, 5], ngram_indexes=[2, 0, 1, 4], min_gram_length=1, max_gram_length=3,
    pool_strings=["a", "b", "é", "a", "b", "a", "b", "é"])
add("tfidf_longer_only", "TfIdfVectorizer", [row.astype(np.int64)], [FLOAT], mode="TF", max_skip_count=0,
    **{**pool, "min_gram_length": 2})
add("tfidf_nothing", "TfIdfVectorizer", [np.zeros((2, 0), np.int64)], [FLOAT],
    lambda m, i: [np.zeros((2, 7), np.float32)], mode="TF", max_skip_count=0, **pool)

# Labels and categories.
ml("label_1_strings", "LabelEncoder", [strings("b", "c", "z")], [INT64], version=1, classes_strings=["a", "b", "c"],
   default_int64=-7)
ml("label_1_numbers", "LabelEncoder", [np.array([2, 0, 5])], [STRING], version=1, classes_strings=["a", "b", "c"],
   default_string="?")
ml("label_2_floats", "LabelEncoder", [np.array([[1.5, np.nan, 3]], np.float32)], [STRING], version=2,
   keys_floats=[1.5, float("nan")], values_strings=["a", "b"], expected=[strings("a", "b", "_Unused").reshape(1, 3)])
ml("label_2_numbers", "LabelEncoder", [np.array([1, 2, 3])], [FLOAT], version=2, keys_int64s=[3, 1],
   values_floats=[0.5, -2], default_float=9.0)
ml("label_4_last_key_wins", "LabelEncoder", [np.array([1, 2, 7], np.int16)], [TensorProto.DOUBLE],
   lambda m, i: [np.array([0.25, 4, -1.0])], version=4,
   keys_tensor=numpy_helper.from_array(np.array([1, 2, 1], np.int16)),
   values_tensor=numpy_helper.from_array(np.array([3, 4, 0.25])),
   default_tensor=numpy_helper.from_array(np.array([-1.0])))
ml("category_mapper_strings", "CategoryMapper", [strings("x", "y", "q").reshape(3, 1)], [INT64], version=1,
   cats_strings=["y", "x"], cats_int64s=[10, 20], default_int64=-5)
ml("category_mapper_numbers", "CategoryMapper", [np.array([20, 10, 3])], [STRING], version=1, cats_strings=["y", "x"],
   cats_int64s=[10, 20], default_string="none")
ml("one_hot_numbers", "OneHotEncoder", [np.array([[1, 5], [3, 1]])], [FLOAT], version=1, cats_int64s=[1, 3])
ml("one_hot_floats", "OneHotEncoder", [np.array([1.7, 3, 9], np.float32)], [FLOAT], version=1, cats_int64s=[1, 3],
   zeros=1)
ml("one_hot_strings", "OneHotEncoder", [strings("b", "a")], [FLOAT], version=1, cats_strings=["a", "b", "c"], zeros=0)

# Features.
x = np.round(random.standard_normal((3, 4)) * 3, 2).astype(np.float32)
for kind in (np.float32, np.float64, np.int64, np.int32):
    kind_type = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    name = np.dtype(kind).name
    ml(f"scaler_{name}", "Scaler", [x.astype(kind)], [FLOAT], version=1, offset=[1, 2, 3, 0.5], scale=[0.5, 2, 1, -1])
    ml(f"normalizer_max_{name}", "Normalizer", [x.astype(kind)], [FLOAT], version=1, norm="MAX")
    ml(f"normalizer_l1_{name}", "Normalizer", [x.astype(kind)], [FLOAT], version=1, norm="L1")
    ml(f"normalizer_l2_{name}", "Normalizer", [x.astype(kind)], [FLOAT], version=1, norm="L2")
    ml(f"array_features_{name}", "ArrayFeatureExtractor", [x.astype(kind), np.array([[3, 0]])], [kind_type], version=1)
    ml(f"feature_vectorizer_{name}", "FeatureVectorizer", [x.astype(kind), x[:, :2].astype(kind)], [FLOAT],
       version=1, inputdimensions=[4, 2])
for kind in (np.float32, np.int32):
    ml(f"binarizer_{np.dtype(kind).name}", "Binarizer", [x.astype(kind)],
       [helper.np_dtype_to_tensor_dtype(np.dtype(kind))],
       lambda m, i: [(i[0] > 0.5).astype(i[0].dtype)], version=1, threshold=0.5)
ml("scaler_one", "Scaler", [x], [FLOAT], version=1, offset=[1.0], scale=[2.0])
ml("array_features_list", "ArrayFeatureExtractor", [x[0], np.array([1, 1, 3])], [FLOAT], version=1)
ml("array_features_strings", "ArrayFeatureExtractor", [strings("a", "b", "c", "d").reshape(2, 2), np.array([1])],
   [STRING],
   version=1)
holes = np.where(x > 1, np.nan, x).astype(np.float32)
ml("imputer_nan", "Imputer", [holes], [FLOAT], version=1, imputed_value_floats=[1, 2, 3, 4.0],
   replaced_value_float=float("nan"))
ml("imputer_number", "Imputer", [np.array([[1, 0], [0, 2]])], [INT64], version=1, imputed_value_int64s=[-9],
   replaced_value_int64=0)

# Linear models.
weights, offsets = np.round(random.standard_normal((3, 4)), 3).ravel().tolist(), [0.5, -0.25, 0.1]
for transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"):
    features = x if transform != "PROBIT" else np.full((2, 4), 0.1, np.float32)
    coefficients = weights if transform != "PROBIT" else [0.3, 0.9, 0.2, 0.1] * 3
    intercepts = offsets if transform != "PROBIT" else [0.1, 0.2, 0.3]
    ml(f"linear_classifier_{transform.lower()}", "LinearClassifier", [features], [INT64, FLOAT], version=1,
       coefficients=coefficients, intercepts=intercepts, classlabels_ints=[4, 7, 9], post_transform=transform)
    if transform != "PROBIT":
        ml(f"linear_binary_{transform.lower()}", "LinearClassifier", [features], [STRING, FLOAT],
           runtime if transform == "LOGISTIC" else reference, version=1, coefficients=weights[:4],
           intercepts=[0.3], classlabels_strings=["no", "yes"], post_transform=transform)
    ml(f"linear_regressor_{transform.lower()}", "LinearRegressor", [features], [FLOAT], version=1,
       coefficients=coefficients, intercepts=intercepts, targets=3, post_transform=transform)
ml("linear_regressor_double", "LinearRegressor", [x.astype(np.float64)], [FLOAT],
   lambda m, i: [(i[0] @ np.array(weights[:4]))[:, None].astype(np.float32)], version=1, coefficients=weights[:4])

# Trees: two of depth two over four features, with votes for several targets.
TREES = dict(
    nodes_treeids=[0] * 5 + [1] * 3, nodes_nodeids=[0, 1, 2, 3, 4, 0, 1, 2],
    nodes_modes=["BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"],
    nodes_featureids=[0, 1, 0, 0, 0, 3, 0, 0], nodes_values=[0.5, -1, 0, 0, 0, 0.25, 0, 0],
    nodes_truenodeids=[1, 2, 0, 0, 0, 1, 0, 0], nodes_falsenodeids=[4, 3, 0, 0, 0, 2, 0, 0],
    nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 0, 0, 0])


def votes(prefix, ids):
    return {f"{prefix}_treeids": [0, 0, 0, 1, 1], f"{prefix}_nodeids": [2, 3, 4, 1, 2], f"{prefix}_ids": ids}


rows = np.concatenate([x, holes, np.array([[0.5, -1, 0, 0.25], [9, 9, 9, 9]], np.float32)])
for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
    ml(f"tree_regressor_{aggregate.lower()}", "TreeEnsembleRegressor", [rows], [FLOAT], **TREES, **votes("target",
       [0] * 5),
       target_weights=[1, -2, 3, 0.5, 0.25], aggregate_function=aggregate, n_targets=1, base_values=[0.125])
ml("tree_regressor_targets", "TreeEnsembleRegressor", [rows], [FLOAT], reference, **TREES, **votes("target", [0, 1, 2,
   1, 0]),
   target_weights=[1, -2, 3, 0.5, 0.25], n_targets=3, base_values=[1, 2, 3.0])
ml("tree_regressor_double", "TreeEnsembleRegressor", [rows.astype(np.float64)], [FLOAT],
   **{k: v for k, v in TREES.items() if k != "nodes_values"}, **votes("target", [0] * 5), n_targets=1,
   nodes_values_as_tensor=numpy_helper.from_array(np.array([0.5, -1, 0, 0, 0, 0.25, 0, 0])),
   target_weights_as_tensor=numpy_helper.from_array(np.array([1, -2, 3, 0.5, 0.25])))
# ONNX Runtime ignores classes that no tree votes for, and has no softmax of two classes.
for transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
    binary = runtime if transform in ("NONE", "LOGISTIC") else reference
    ml(f"tree_classifier_{transform.lower()}", "TreeEnsembleClassifier", [rows], [INT64, FLOAT], reference, **TREES,
       **votes("class", [0, 1, 2, 1, 0]), class_weights=[1, -2, 3, 0.5, 0.25], classlabels_int64s=[3, 5, 8],
       post_transform=transform)
    ml(f"tree_two_classes_{transform.lower()}", "TreeEnsembleClassifier", [rows], [STRING, FLOAT], reference, **TREES,
       **votes("class", [0, 1, 1, 1, 0]), class_weights=[0.5, 0.3, 0.4, 0.6, 0.7], classlabels_strings=["a", "b"],
       post_transform=transform)
    ml(f"tree_binary_{transform.lower()}", "TreeEnsembleClassifier", [rows], [STRING, FLOAT], binary, **TREES,
       **votes("class", [0] * 5), class_weights=[0.3, 0.2, 0.1, 0.45, 0.6], classlabels_strings=["a", "b"],
       post_transform=transform)
    ml(f"tree_binary_signed_{transform.lower()}", "TreeEnsembleClassifier", [rows], [INT64, FLOAT], binary, **TREES,
       **votes("class", [0] * 5), class_weights=[0.3, -0.2, 0.1, -0.45, 0.6], classlabels_int64s=[0, 1],
       base_values=[0.05], post_transform=transform)

# Support vector machines.
vectors = np.round(random.standard_normal((5, 4)), 2).ravel().tolist()
alphas = np.round(random.standard_normal(10), 2).tolist()
for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
    common = dict(kernel_type=kernel, kernel_params=[0.3, 0.5, 3.0], support_vectors=vectors)
    ml(f"svm_regressor_{kernel.lower()}", "SVMRegressor", [x], [FLOAT], version=1, tolerance=1e-4, **common,
       n_supports=5,
       coefficients=alphas[:5], rho=[0.2])
    ml(f"svm_one_class_{kernel.lower()}", "SVMRegressor", [x], [FLOAT], version=1, **common, n_supports=5,
       coefficients=alphas[:5], rho=[0.2], one_class=1)
    ml(f"svm_two_{kernel.lower()}", "SVMClassifier", [x], [INT64, FLOAT], version=1, tolerance=1e-4, **common,
       coefficients=alphas[:5], rho=[0.2], classlabels_ints=[3, 9], vectors_per_class=[2, 3])
    ml(f"svm_three_{kernel.lower()}", "SVMClassifier", [x], [STRING, FLOAT], version=1, tolerance=1e-4, **common,
       coefficients=alphas, rho=[0.2, -0.1, 0.4], classlabels_strings=["a", "b", "c"], vectors_per_class=[2, 2, 1])
    ml(f"svm_probability_{kernel.lower()}", "SVMClassifier", [x], [INT64, FLOAT], version=1, tolerance=1e-4, **common,
       coefficients=alphas, rho=[0.2, -0.1, 0.4], classlabels_ints=[1, 2, 3], vectors_per_class=[2, 2, 1],
       prob_a=[-1.5, -0.7, -1.1], prob_b=[0.1, 0.2, -0.3])
ml("svm_probability_two", "SVMClassifier", [x], [INT64, FLOAT], version=1, tolerance=1e-4, kernel_type="RBF",
   kernel_params=[0.3, 0.0, 0.0], support_vectors=vectors, coefficients=alphas[:5], rho=[0.2], classlabels_ints=[0, 1],
   vectors_per_class=[2, 3], prob_a=[-1.5], prob_b=[0.1])
ml("svm_linear_classifier", "SVMClassifier", [x], [INT64, FLOAT], version=1, kernel_type="LINEAR", kernel_params=[0.0,
   0.0, 0.0], coefficients=weights,
   rho=[0.3], classlabels_ints=[4, 5, 6])
ml("svm_linear_regressor", "SVMRegressor", [x], [FLOAT], version=1, kernel_type="LINEAR", kernel_params=[0.0, 0.0,
   0.0], coefficients=weights[:4],
   rho=[0.3], n_supports=0)

# Tokens. ONNX Runtime refuses a pattern that is empty.
TOKENIZED = strings(*SUBJECTS, *(" ".join(SUBJECTS[i : i + 4]) for i in range(0, len(SUBJECTS), 3)))
SETTINGS = [dict(tokenexp=pattern) for pattern in PATTERNS if pattern]
SETTINGS += [dict(separators=[pattern]) for pattern in PATTERNS if pattern]
SETTINGS += [dict(separators=[a, b]) for a, b in zip(PATTERNS[1::2], PATTERNS[::-3])] + [dict(separators=[""])]
for first in range(0, len(SETTINGS), 40):
    nodes, outputs = [], []
    for index, setting in enumerate(SETTINGS[first : first + 40]):
        least = 1 if setting in (dict(tokenexp="."), dict(separators=[""])) else 1 + (first + index) % 3
        nodes.append(helper.make_node(
            "Tokenizer", ["x"], [f"y{index}"], domain="com.microsoft", mark=index % 2, mincharnum=least, pad_value="~",
            **setting))
        outputs.append(helper.make_tensor_value_info(f"y{index}", STRING, None))
    declared = helper.make_tensor_value_info("x", STRING, [len(TOKENIZED)])
    graph = helper.make_graph(nodes, "tokens", [declared], outputs)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    cases.add(
        f"tokenizer_{first:03}", helper.make_model(graph, opset_imports=imports, ir_version=8), [TOKENIZED], runtime)
words = strings("The quick-brown  fox", "", "jumps over 2 dogs", "é 日本").reshape(2, 2)
for name, texts, expression in (("words", words, "[a-zA-Z0-9_]+"), ("nothing", words[:1, 1:], "[a-z]+")):
    add(f"tokenizer_{name}", "Tokenizer", [texts], [STRING], opset=17, domain="com.microsoft", version=1, mark=1,
        mincharnum=2, pad_value="", tokenexp=expression)
add("tokenizer_no_texts", "Tokenizer", [strings().reshape(3, 0)], [STRING], opset=17, domain="com.microsoft", version=1,
    mark=1, mincharnum=1, pad_value="", tokenexp="a")


def rows_of_dictionaries(labels, **attributes):
    """The numbers of ZipMap's dictionaries, a row each: what the value is in Apus."""

    def rows(model, inputs):
        proper = one_node("ZipMap", inputs, opset=18, domain="ai.onnx.ml", types=[FLOAT], **attributes)
        proper.graph.output[0].CopyFrom(helper.make_value_info("y0", helper.make_sequence_type_proto(
            helper.make_map_type_proto(STRING if isinstance(labels[0], str) else INT64,
                                       helper.make_tensor_type_proto(FLOAT, [])))))
        return [np.array([[row[label] for label in labels] for row in runtime(proper, inputs)[0]], np.float32)]

    return rows


for name, scores, attributes in (
    ("strings", x[:, :3], dict(classlabels_strings=["b", "c", "a"])), ("numbers", x[:, :2],
    dict(classlabels_int64s=[7, -2])), ("list", x[0], dict(classlabels_int64s=[4, 3, 2, 1]))):
    labels = next(iter(attributes.values()))
    ml(f"zip_map_{name}", "ZipMap", [scores], [FLOAT], rows_of_dictionaries(labels, **attributes), version=1,
       **attributes)

if __name__ == "__main__":
    cases.write()
