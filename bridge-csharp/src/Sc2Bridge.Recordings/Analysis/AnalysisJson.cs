using System.Text.Json;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Converts the analysis in a recording's attachment to and from JSON. The JSON names are in snake_case. No reflection is used.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true,
    GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(MatchAnalysis))]
internal sealed partial class AnalysisJson : JsonSerializerContext
{
    /// <summary>The media type of the attachment.</summary>
    public const string MediaType = "application/json";

    /// <summary>Serializes an analysis.</summary>
    public static byte[] Write(MatchAnalysis analysis) => JsonSerializer.SerializeToUtf8Bytes(analysis, Default.MatchAnalysis);

    /// <summary>Parses an analysis.</summary>
    /// <exception cref="JsonException">The bytes are not an analysis.</exception>
    public static MatchAnalysis Read(ReadOnlySpan<byte> bytes)
    {
        // The serializer accepts null as an item of a list, so nulls are checked here.
        var tokens = new Utf8JsonReader(bytes);
        var isFieldValue = false;
        while (tokens.Read())
        {
            if (tokens.TokenType == JsonTokenType.Null && !isFieldValue)
            {
                throw new JsonException("null is only allowed as the value of a field");
            }

            isFieldValue = tokens.TokenType == JsonTokenType.PropertyName;
        }

        return JsonSerializer.Deserialize(bytes, Default.MatchAnalysis)!;
    }
}
