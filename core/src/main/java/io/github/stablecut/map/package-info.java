/**
 * A multidimensional map over any storage: tables whose records lie in partitions, ordered by a
 * clustering key, with typed columns, conditional and atomic mutations, secondary indexes and
 * ranges. A {@link io.github.stablecut.map.TableMap} runs on a Stablecut store or on any {@link
 * io.github.stablecut.map.storage.RecordStorage}; its users see no difference.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.map;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
