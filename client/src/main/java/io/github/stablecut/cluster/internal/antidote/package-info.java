/**
 * AntidoteDB's client protocol: its messages and numbers as records, and their encoding in both
 * directions. Independent of stores, threads and the network. Used by the server and by the remote
 * client.
 *
 * <p>A frame, in both directions:
 *
 * <pre>
 *   0           4      5                    4 + L
 *   | L, 4 bytes | code | protobuf (proto2)  |      L big-endian, counts code and body
 * </pre>
 *
 * <p>A server answers each request once, in the order of the requests of a connection. {@link
 * io.github.stablecut.cluster.internal.antidote.MessageCode} has the codes; the codecs list the
 * fields of each message.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.antidote;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
