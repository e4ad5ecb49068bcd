/** The demo, and that its trial finds what it looks for. */
@NullMarked
package io.github.stablecut.examples.demo;

import org.jspecify.annotations.NullMarked;
