/**
 * The TCP transport of replication: connections between nodes of two data centres, which carry
 * frames both ways, and the connection over which a new data centre receives its initial state.
 *
 * <p>The JDK's blocking sockets with a thread per direction suffice, because there are few data
 * centres. Programs that embed a store therefore need no network library.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
