using System.Text.Json;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The analysis as it stands in a recording: JSON with names in snake_case, without reflection.</summary>
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

    /// <summary>The attachment's bytes.</summary>
    public static byte[] Write(MatchAnalysis analysis) => JsonSerializer.SerializeToUtf8Bytes(analysis, Default.MatchAnalysis);

    /// <summary>The analysis that an attachment holds.</summary>
    /// <exception cref="JsonException">The attachment holds something else.</exception>
    public static MatchAnalysis Read(ReadOnlySpan<byte> bytes)
    {
        // The serializer accepts null as an item of a list.
        var tokens = new Utf8JsonReader(bytes);
        var isValue = false;
        while (tokens.Read())
        {
            if (tokens.TokenType == JsonTokenType.Null && !isValue)
            {
                throw new JsonException("null is not the value of a field");
            }

            isValue = tokens.TokenType == JsonTokenType.PropertyName;
        }

        return JsonSerializer.Deserialize(bytes, Default.MatchAnalysis)!;
    }
}
