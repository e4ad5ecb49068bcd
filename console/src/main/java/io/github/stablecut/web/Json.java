package io.github.stablecut.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Reads and writes JSON. */
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("can't be written as JSON: " + value.getClass(), e);
    }
  }

  /**
   * Parses JSON.
   *
   * @throws WebException if the bytes are no JSON
   */
  static JsonNode read(byte[] bytes) {
    try {
      return MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw WebException.badRequest("the body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw WebException.badRequest("the body is not JSON: " + e.getMessage());
    }
  }
}
