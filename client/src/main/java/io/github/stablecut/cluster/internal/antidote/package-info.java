/**
 * AntidoteDB's client protocol: its frames, messages and numbers as records, and their bytes in
 * both directions. Pure: knows no store, no thread and no network. Called by the server and by the
 * remote client.
 *
 * <p>A frame, in both directions:
 *
 * <pre>
 *   0           4      5                    4 + L
 *   | L, 4 bytes | code | protobuf (proto2)  |      L big-endian, counts code and body
 * </pre>
 *
 * <p>Each request is answered once, in the order of the requests of its connection. The codes are
 * {@link io.github.stablecut.cluster.internal.antidote.MessageCode}'s; the fields of each message
 * stand where it is read and written.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.antidote;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
