#pragma once
#include <cstddef>
#include <cstdint>

uint32_t Crc32Of(const uint8_t* bytes, size_t size, uint32_t previous);
