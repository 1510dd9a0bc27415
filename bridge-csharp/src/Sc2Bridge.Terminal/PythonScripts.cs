using System.Diagnostics;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Terminal;

/// <summary>The checkout's own Python (<c>python -m sc2bridge_bench</c>), which measures and draws; it is no part of the package.</summary>
public static class PythonScripts
{
    private const string Module = "sc2bridge_bench";

    /// <summary>How one of its commands is started.</summary>
    /// <param name="python">The interpreter, which has the package or stands in the checkout.</param>
    /// <param name="arguments">The command and its arguments.</param>
    /// <exception cref="CommandException">The program stands outside of its checkout.</exception>
    public static ProcessStartInfo Start(string python, params IEnumerable<string> arguments)
    {
        var root = RepositoryFolder.Root ?? throw new CommandException(
            "what measures and draws in Python stands in the repository: run the program from a checkout");
        var start = ChildEnvironment.Start(ChildKind.Agent, python, ["-u", "-m", Module, .. arguments]);
        start.Environment["PYTHONPATH"] = PythonInterpreter.PathWith(
            Path.Combine(root, "bridge-csharp", "bench", "python"), Path.Combine(root, "agent-python", "src"));
        return start;
    }

    /// <summary>Makes sure that it can draw, before minutes are spent.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="picture">The file that will be written; its ending names the format.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">It cannot; the message says what to install.</exception>
    public static Task CheckDrawingAsync(string python, string picture, CancellationToken ct) =>
        ProcessRun.ToEndAsync(Start(python, "can-draw", picture), ct);

    /// <summary>Draws a report of <c>inspect</c>.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="report">The report as JSON.</param>
    /// <param name="picture">The file to write; its ending names the format.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">It cannot.</exception>
    public static async Task DrawAsync(string python, string report, string picture, CancellationToken ct)
    {
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, report, ct);
            await ProcessRun.ToEndAsync(Start(python, "draw", file, picture), ct);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
