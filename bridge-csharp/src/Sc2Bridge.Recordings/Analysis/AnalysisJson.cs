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
    public static MatchAnalysis Read(ReadOnlySpan<byte> bytes) =>
        JsonSerializer.Deserialize(bytes, Default.MatchAnalysis) ?? throw new JsonException("it is null");
}
