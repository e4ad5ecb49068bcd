/** Tests of the console, without and with a browser. */
@NullMarked
package io.github.stablecut.console;

import org.jspecify.annotations.NullMarked;
