/**
 * Encodes states, effects and users' values: {@link io.github.stablecut.crdt.codec.CrdtCodec} for
 * the first two, {@link io.github.stablecut.crdt.codec.Codec} for the third. The only user of Kryo:
 * its buffers write the canonical encoding, and its object graphs encode users' classes, which must
 * be registered with explicit ids. No class is ever loaded by a name in the input.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.codec;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
