package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Parameters are decoded exactly, or refused. */
final class HttpParametersTest {
  private static final byte[] NONE = new byte[0];

  private static String decoded(String line) {
    return String.valueOf(HttpParameters.decode(line, NONE).all().get("key"));
  }

  private static String sentPlainly(String line) {
    return new String(line.getBytes(UTF_8), ISO_8859_1);
  }

  @Test
  void areDecodedAsUtf8() {
    assertThat(decoded("/get?key=gr%C3%B6%c3%9fe+%F0%9F%98%80"))
        .isEqualTo("gr\u00f6\u00dfe \ud83d\ude00");
    assertThat(decoded(sentPlainly("/get?key=gr\u00f6\u00dfe"))).isEqualTo("gr\u00f6\u00dfe");
    assertThat(HttpParameters.decode("/a%20b", NONE).path()).isEqualTo("/a b");
  }

  @Test
  void areRefusedIfTheyAreNotText() {
    for (String line :
        List.of(
            "/get?key=%ff",
            "/get?key=%ED%A0%80", "/get?key=\u00ff", "/get?key=%C3&b=%B6", "/%ff")) {
      assertThatThrownBy(() -> HttpParameters.decode(line, NONE))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not UTF-8");
    }
    assertThatThrownBy(() -> HttpParameters.decode("/post", new byte[] {'k', '=', (byte) 0xff}))
        .hasMessageContaining("not UTF-8");
    assertThatThrownBy(() -> decoded("/get?key=%f")).hasMessageContaining("two hexadecimal digits");
  }

  @Test
  void areComplete() {
    StringBuilder form = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      form.append('a').append(i).append("=1&");
    }
    byte[] sent = form.append("key=last").toString().getBytes(UTF_8);

    assertThat(HttpParameters.decode("/post?bucket=first", sent).all())
        .hasSize(5_002)
        .containsEntry("bucket", "first")
        .containsEntry("key", "last");
    assertThat(decoded("/get?key=a;b=c")).isEqualTo("a;b=c");
  }

  @Test
  void areRefusedIfOneIsRepeated() {
    assertThatThrownBy(() -> decoded("/get?key=one&a=&key=two"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is repeated");
    assertThatThrownBy(() -> decoded("/get?key=&key=")).hasMessageContaining("is repeated");
    assertThatThrownBy(() -> HttpParameters.decode("/post?key=first", "key=second".getBytes(UTF_8)))
        .hasMessageContaining("is repeated");
    assertThatThrownBy(() -> HttpParameters.decode("/post", "key=a&key=b".getBytes(UTF_8)))
        .hasMessageContaining("is repeated");
  }
}
