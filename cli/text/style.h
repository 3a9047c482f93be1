// SPDX-License-Identifier: Apache-2.0
// Colour for terminals. Text is marked here; print() and say() turn the marks into escape sequences, or drop them.
// Marks are bytes that no UTF-8 text holds, and take no room in a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dorm::cli {

enum class Style : char { bold = 'b', dim = 'd', red = 'r', green = 'g', yellow = 'y' };

/// The text, marked; blanks at its ends stay outside.
std::string styled(Style style, std::string_view text);

/// The text with its marks turned into escape sequences, or without them; the text between them by `escape`.
std::string rendered(std::string_view text, bool colored, std::string (*escape)(std::string_view) = nullptr);

/// Characters of the text as a terminal shows it: marks and the bytes within a character do not count.
std::size_t shown_width(std::string_view text);

/// "{:<width}" and "{:>width}" by shown_width().
std::string padded_right(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);

/// auto, always or never; throws Error(unknown_name).
void choose_color(const std::string& when);

/// Whether this stream is to be coloured: as chosen, else NO_COLOR (never), CLICOLOR_FORCE (always), TERM=dumb (never),
/// and whether it is a terminal.
bool colored(int descriptor);

}  // namespace dorm::cli
