/** Tests of the web server. */
@NullMarked
package io.github.stablecut.web;

import org.jspecify.annotations.NullMarked;
