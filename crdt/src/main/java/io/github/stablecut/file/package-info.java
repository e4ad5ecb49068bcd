/**
 * Creates files and directories that only their owner may read, deletes directories, and computes
 * checksums. Independent of file formats. Used by every package that creates files.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
