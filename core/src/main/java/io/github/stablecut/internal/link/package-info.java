/**
 * The transport of replication over TCP: one connection between two data centres, which carries
 * frames both ways, and the connection by which a new data centre gets what it begins with.
 *
 * <p>The JDK's blocking sockets, with a thread for each direction, are enough: a data centre has
 * few others. So programs that embed a store need no library for networks.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
