/** Tests of threads that survive what they run. */
@NullMarked
package io.github.stablecut.internal.thread;

import org.jspecify.annotations.NullMarked;
