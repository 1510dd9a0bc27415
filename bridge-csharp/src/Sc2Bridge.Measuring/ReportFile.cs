using System.Text.Json;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Measuring;

/// <summary>Raw results as JSON.</summary>
public static class ReportFile
{
    private static readonly JsonSerializerOptions _options = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    /// <summary>A report as text, with names in snake_case and a line end behind it.</summary>
    public static string Text<T>(T report) => JsonSerializer.Serialize(report, _options) + "\n";

    /// <summary>Writes a report; nothing where no file was asked for.</summary>
    public static async Task WriteAsync<T>(FileInfo? file, T report, CancellationToken ct)
    {
        if (file is not null)
        {
            await File.WriteAllTextAsync(file.FullName, Text(report), ct);
        }
    }
}
