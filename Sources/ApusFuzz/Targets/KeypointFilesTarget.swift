import ApusMotion

/// The readers of files that DeepLabCut and SLEAP write.
struct KeypointFilesTarget: JSONFuzzTarget {
  let name = "keypoint-files"
  let summary = "DeepLabCut and SLEAP: CSV tables and JSON labels, cut into pieces anywhere"
  let dictionary = [
    "scorer", "individuals", "bodyparts", "coords", "likelihood", "single", "track", "frame_idx", "instance.score",
    ".x", ".y", ".score", "nan", "\"skeletons\":", "\"nodes\":", "\"labels\":", "\"tracks\":", "\"_instances\":",
    "\"_points\":", "\"name\":", "\"frame_idx\":", "NaN", "1e308", "\u{89}HDF", "\u{FEFF}", "\r\n", "\n", "\"\"", ",",
    "img0001.png", "{", "}", "[", "]",
  ]

  func seeds() -> [[UInt8]] {
    [
      "scorer,a,a,a,a,a\nbodyparts,nose,nose,nose,lf_paw,lf_paw\ncoords,x,y,likelihood,x,y\n0,1,2,0.9,3,4\n1,,,,5,6\n",
      "scorer,,,a,a,a,a\nindividuals,,,rex,rex,single,single\nbodyparts,,,nose,nose,tail_tip,tail_tip\n"
        + "coords,,,x,y,x,y\nlabeled-data,clip,img0001.png,1,2,3,4\nlabeled-data,clip,img0002.png,1,2,,\n",
      "track,frame_idx,instance.score,nose.x,nose.y,nose.score\na,0,1,1,2,0.9\na,1,1,,,\na,4,1,5,6,0.5\n",
      #"{"version":"2.0.0","skeletons":[{"nodes":[{"id":0}]}],"nodes":[{"name":"nose","weight":1.0}],"#
        + #""tracks":[[0,"a"]],"labels":[{"video":0,"frame_idx":0,"_instances":[{"track":0,"_points":{"0":{"x":1,"#
        + #""y":2,"visible":true,"score":0.5}}}]},{"frame_idx":3,"_instances":[]}]}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    var options = PoseReaderOptions()
    options.framesPerSecond = 30
    (options.width, options.height) = (640, 480)
    return try PoseFramesTarget.outcome(of: input, options: options)
  }
}
