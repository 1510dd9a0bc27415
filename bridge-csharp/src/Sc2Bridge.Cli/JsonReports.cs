using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Results for machines: JSON with names in snake_case, written without reflection.</summary>
[JsonSourceGenerationOptions(
    WriteIndented = true,
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(DoctorReport))]
[JsonSerializable(typeof(ExportedMatch))]
[JsonSerializable(typeof(InspectionReport))]
[JsonSerializable(typeof(MatchReport))]
[JsonSerializable(typeof(SeriesReport))]
[JsonSerializable(typeof(WorkReport))]
[JsonSerializable(typeof(WorkSummary))]
internal sealed partial class JsonReports : JsonSerializerContext
{
    /// <summary>A report as text, with a line end behind it.</summary>
    public static string Text<T>(T report, JsonTypeInfo<T> shape) => JsonSerializer.Serialize(report, shape) + "\n";
}
