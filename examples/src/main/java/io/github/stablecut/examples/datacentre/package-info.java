/**
 * Stores that are data centres of each other in one process, over TCP on this machine, with cables
 * between them that can be slowed down and cut. For the example applications that show what data
 * centres do; knows nothing of any of them, nor of web pages.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.datacentre;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
