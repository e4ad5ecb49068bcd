package io.github.stablecut.error;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Foreign text in a message neither begins a line nor controls a terminal. */
class PrintableTextTest {
  private static final String OBEYED =
      "\0\u0007\b\u001b\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ud800\udfff";

  @Test
  void escapesLinesAndControls() {
    assertThat(PrintableText.of("x\r\n\t2026 ERROR forged\u001b[31mred"))
        .isEqualTo("x\\r\\n\\t2026 ERROR forged\\u001b[31mred");
  }

  @Test
  void escapesOtherTerminalControlsAndLineSeparators() {
    for (char c : (OBEYED + "\n\r\t").toCharArray()) {
      assertThat(PrintableText.of("a" + c + "b"))
          .matches("a\\\\(n|r|t|u[0-9a-f]{4})b")
          .doesNotContain(String.valueOf(c));
    }
  }

  @Test
  void keepsLettersOfAllScripts() {
    String text = "Zürich, 東京, עברית, \ud83d\udc68\u200d\ud83d\udc69 C:\\new é ~";
    assertThat(PrintableText.of(text)).isSameAs(text);
  }

  @Test
  void truncatesLongTextAndReportsItsLength() {
    assertThat(PrintableText.of("y".repeat(1_000_000), 5))
        .isEqualTo("yyyyy… (1,000,000 characters)");
    assertThat(PrintableText.of("\n\nab", 3)).isEqualTo("\\n\\na… (4 characters)");
    assertThat(PrintableText.of("ab\ud83d\udc68c", 3)).isEqualTo("ab… (5 characters)");
    assertThat(PrintableText.of("abc", 3)).isEqualTo("abc");
  }

  @Property
  void escapedTextIsStableAndHasNoControls(@ForAll String text) {
    String once = PrintableText.of(text);
    assertThat(PrintableText.of(once)).isEqualTo(once);
    assertThat(once.codePoints())
        .noneMatch(c -> Character.isISOControl(c) || (c <= 0xffff && OBEYED.indexOf(c) >= 0));
  }

  @Test
  void theMessageOfEveryExceptionIsOneLine() {
    assertThat(new LimitExceededException("table \"a\nb\u202e\" is too large"))
        .hasMessage("table \"a\\nb\\u202e\" is too large");
  }
}
