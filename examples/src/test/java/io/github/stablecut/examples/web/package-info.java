/** Tests of the web server, and the browser that the tests of the pages use. */
@NullMarked
package io.github.stablecut.examples.web;

import org.jspecify.annotations.NullMarked;
