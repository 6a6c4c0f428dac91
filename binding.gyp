{
  "targets": [
    {
      "target_name": "cometmq",
      "sources": [
        "native/addon.cc",
        "native/mapping_registry.cc",
        "native/file_maker.cc",
        "native/copy.cc",
        "native/mapped_file.cc",
        "native/crc32.cc",
        "native/socket.cc",
        "native/files.cc",
        "native/faults.cc"
      ],
      "include_dirs": ["<!@(node -p \"require('node-addon-api').include\")"],
      # The last: a call that fails in a thread that is being ended can not throw any more, and must not abort the process.
      "defines": [
        "NAPI_VERSION=8",
        "NAPI_DISABLE_CPP_EXCEPTIONS",
        "_FILE_OFFSET_BITS=64",
        "_GNU_SOURCE",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "cflags_cc": ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fno-exceptions"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++14"]
    }
  ]
}
