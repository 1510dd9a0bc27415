using System.Text.Json;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Bench;

/// <summary>Results of the benchmarks for machines: JSON with names in snake_case.</summary>
internal static class JsonReport
{
    private static readonly JsonSerializerOptions _options = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    /// <summary>A report as text, with a line end behind it.</summary>
    public static string Text<T>(T report) => JsonSerializer.Serialize(report, _options) + "\n";
}
