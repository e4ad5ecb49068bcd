/**
 * A set of objects with one owner: one journal, one clock, one commit lock. Commits flow through
 * the journal to the index and become visible when they are durable; reads go through the
 * materialiser. Independent of keys, codecs and interactive transactions, which are built on it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
