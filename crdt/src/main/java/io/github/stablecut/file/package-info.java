/**
 * Creating files and directories that only their owner may read, and deleting directories, and sums
 * of what they contain. It opens nothing by itself and knows no format. Called by every package
 * that creates files.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
