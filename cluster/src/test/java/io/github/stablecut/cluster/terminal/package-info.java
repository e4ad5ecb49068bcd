/** What is shown on terminals and elsewhere. */
@NullMarked
package io.github.stablecut.examples.terminal;

import org.jspecify.annotations.NullMarked;
