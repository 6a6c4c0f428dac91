// Files of full length, on disk with their names before anybody sees them.
#pragma once
#include <string>

#include "mapping_registry.h"

// A descriptor of the existing file, -1 and the failure when it cannot be opened.
int OpenFile(const std::string& path, MapFailure* failure);

// Makes the file: allocated, synced, and only then given its name, so that no crash leaves a short one behind. EEXIST when the
// name is taken. The caller closes the descriptor.
int MakeFile(const std::string& path, size_t size, Origin origin, MapFailure* failure);
