using System.Diagnostics;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Terminal;

/// <summary>The Python scripts of the repository (<c>python -m sc2bridge_bench</c>), which measure and draw. They are not part of the package.</summary>
public static class PythonScripts
{
    private const string Module = "sc2bridge_bench";

    /// <summary>Makes the start information for a command of the scripts.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="arguments">The command and its arguments.</param>
    /// <exception cref="CommandException">The program is not in a checkout of the repository.</exception>
    public static ProcessStartInfo CreateStartInfo(string python, params IEnumerable<string> arguments)
    {
        var root = RepositoryFolder.Root ?? throw new CommandException(
            "the Python scripts that measure and draw are only in the repository: clone it, and run ./sc2bridge there");
        var start = ChildEnvironment.CreateStartInfo(ChildKind.Agent, python, ["-u", "-m", Module, .. arguments]);
        start.Environment["PYTHONPATH"] = PythonInterpreter.PythonPathWith(
            Path.Combine(root, "bridge-csharp", "bench", "python"), Path.Combine(root, "agent-python", "src"));
        return start;
    }

    /// <summary>Checks that Python can draw, before a long run starts.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="picture">The picture that will be written; its extension determines the format.</param>
    /// <param name="ct">Cancels the check.</param>
    /// <exception cref="CommandException">Python cannot draw. The message names the package to install.</exception>
    public static Task CheckDrawingAsync(string python, string picture, CancellationToken ct) =>
        ProcessRun.RunToEndAsync(CreateStartInfo(python, "can-draw", picture), ct);

    /// <summary>Draws a report of <c>inspect</c>.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="report">The report as JSON.</param>
    /// <param name="picture">The picture to write; its extension determines the format.</param>
    /// <param name="ct">Cancels the drawing.</param>
    /// <exception cref="CommandException">Python cannot draw the picture.</exception>
    public static async Task DrawAsync(string python, string report, string picture, CancellationToken ct)
    {
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, report, ct);
            await ProcessRun.RunToEndAsync(CreateStartInfo(python, "draw", file, picture), ct);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
