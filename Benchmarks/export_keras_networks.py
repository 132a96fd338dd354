"""Writes networks of Keras as ONNX files, by tf2onnx, from TensorFlow's graph and from TFLite's, with random weights.

    python3 Benchmarks/export_keras_networks.py FOLDER [NAME …]
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

Keras' recurrent layers come out as loops, its convolutions of sequences as those of pictures of one row, and between a
depthwise convolution and its activation a normalisation stays. Needs tensorflow-cpu 2.21 and tf2onnx 1.17, in an
environment of their own.
"""

import argparse
import os
import pathlib
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy

# tf2onnx reads what NumPy no longer has.
numpy.object, numpy.bool = object, bool
numpy.cast = {numpy.dtype(name): (lambda x, name=name: numpy.asarray(x, name)) for name in ("float32", "float16", "int32", "int64")}

import keras
import tensorflow
import tf2onnx
from keras import layers


def recurrent(cell, **options):
    """Both ways over 20 steps, then to a last state."""
    x = steps = layers.Input((20, 16))
    x = layers.Bidirectional(cell(24, return_sequences=True, **options))(x)
    return keras.Model(steps, layers.Dense(5, activation="softmax")(cell(12, **options)(x)))


def temporal():
    """Causal convolutions, dilated further and further, with a way around each."""
    x = steps = layers.Input((64, 8))
    for dilation in (1, 2, 4):
        y = layers.Conv1D(16, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
        x = layers.Add()([layers.Conv1D(16, 1)(x), y])
    return keras.Model(steps, layers.Dense(4)(layers.Lambda(lambda x: x[:, -1])(x)))


def separable():
    x = steps = layers.Input((128, 8))
    x = layers.Conv1D(16, 5, padding="causal", dilation_rate=2, activation="relu")(x)
    x = layers.MaxPooling1D(2)(layers.SeparableConv1D(32, 3, padding="same")(x))
    return keras.Model(steps, layers.Conv1DTranspose(16, 4, strides=2, padding="same")(x))


def convolutional_lstm():
    x = pictures = layers.Input((4, 16, 16, 3))
    x = layers.ConvLSTM2D(8, 3, padding="same", return_sequences=True)(x)
    return keras.Model(pictures, layers.TimeDistributed(layers.Conv2D(4, 3))(x))


def classifier(application, **options):
    return application(weights=None, input_shape=(96, 96, 3), **options)


NETWORKS = {
    "lstm": lambda: recurrent(layers.LSTM),
    "gru": lambda: recurrent(layers.GRU),
    "rnn": lambda: recurrent(layers.SimpleRNN),
    "temporal": temporal,
    "separable": separable,
    "convolutional-lstm": convolutional_lstm,
    "mobilenet": lambda: classifier(keras.applications.MobileNet, alpha=0.5),
    "mobilenet-v2": lambda: classifier(keras.applications.MobileNetV2, alpha=0.5),
    "mobilenet-v3": lambda: classifier(keras.applications.MobileNetV3Small),
    "efficientnet": lambda: classifier(keras.applications.EfficientNetB0),
}


def export(model, folder, name):
    signature = [tensorflow.TensorSpec([1, *model.inputs[0].shape[1:]], model.inputs[0].dtype)]
    function = tensorflow.function(lambda x: model(x, training=False), input_signature=signature)
    path = folder / f"{name}-tf.onnx"
    tf2onnx.convert.from_function(function, signature, opset=15, output_path=path)
    print(path, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        model.export(scratch, verbose=False, input_signature=signature)
        lite = pathlib.Path(scratch) / "model.tflite"
        lite.write_bytes(tensorflow.lite.TFLiteConverter.from_saved_model(scratch).convert())
        path = folder / f"{name}-lite.onnx"
        tf2onnx.convert.from_tflite(str(lite), opset=16, output_path=path)
        print(path, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NETWORKS):
        parser.error(f"not known: {', '.join(sorted(unknown))}; known are {', '.join(NETWORKS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or NETWORKS:
        tensorflow.random.set_seed(0)
        model = NETWORKS[name]()
        for variable in model.variables:
            if "variance" in variable.name:
                variable.assign(tensorflow.random.uniform(variable.shape, 0.5, 1.5))
            elif "mean" in variable.name or "beta" in variable.name or "bias" in variable.name:
                variable.assign(tensorflow.random.normal(variable.shape, 0, 0.1))
        export(model, options.folder, name)


if __name__ == "__main__":
    main()
