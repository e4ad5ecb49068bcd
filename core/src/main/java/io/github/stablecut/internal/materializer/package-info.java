/**
 * What was an object at a snapshot? {@link io.github.stablecut.internal.materializer.VersionSource}
 * asks it, the replay of the whole journal is its plainest answer and the oracle of the others, and
 * the materialiser answers from the index. Reads only; called by the partition.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.materializer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
