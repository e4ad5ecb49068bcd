/**
 * Reads of objects as of a snapshot ({@link
 * io.github.stablecut.internal.materializer.VersionSource}). The materializer reads from the index
 * and the checkpoints; replaying the whole journal is the simplest implementation and the test
 * oracle. The package only reads; the partition calls it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.materializer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
