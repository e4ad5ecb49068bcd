/**
 * A set of objects with one owner: one journal, one clock, one commit lock. Data flows from {@code
 * commit} through the journal to the index and becomes visible when it is durable; reads go through
 * the materialiser. Knows nothing of keys, codecs or interactive transactions, which are above it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
