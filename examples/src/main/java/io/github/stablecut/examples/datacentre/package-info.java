/**
 * Stores that are data centres of each other in one process, over TCP on this machine, with cables
 * that can be slowed down and cut. The basis of example applications that demonstrate data centres;
 * independent of any of them, and of web pages.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.datacentre;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
