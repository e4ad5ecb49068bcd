/**
 * A partition: a set of objects with one owner, one journal, one clock and one commit lock. Commits
 * flow through the journal to the index and become visible once they are durable; reads go through
 * the materializer. Independent of keys, codecs and interactive transactions, which build on it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
