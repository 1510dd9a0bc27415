namespace Sc2Bridge.Terminal;

/// <summary>Finds the Python that was set up.</summary>
public static class PythonInterpreter
{
    /// <summary>
    /// The value for <c>PYTHONPATH</c> of agents: the current folder, because their modules are usually there, and this process's value.
    /// </summary>
    public static string PathFromHere => PathWith(Directory.GetCurrentDirectory());

    /// <summary>The value for <c>PYTHONPATH</c>: folders, and this process's value.</summary>
    public static string PathWith(params IEnumerable<string> folders) => string.Join(
        Path.PathSeparator,
        folders.Append(Environment.GetEnvironmentVariable("PYTHONPATH")).Where(part => !string.IsNullOrEmpty(part)));

    /// <summary>The interpreter.</summary>
    /// <param name="named">The one that was asked for; null for the environment that the launcher names, else the one that this
    /// program was installed into, else the one beside it, as conda has it, and else the one on the path.</param>
    /// <exception cref="CommandException">There is no such file.</exception>
    public static string Find(string? named)
    {
        if (named is null)
        {
            return In(Environment.GetEnvironmentVariable("SC2BRIDGE_PYTHON_ENVIRONMENT") ?? Around(Environment.ProcessPath));
        }

        // Who starts it may stand in another folder. A name without one is looked for on the path.
        return Path.GetFileName(named) == named && !File.Exists(named) ? named
            : File.Exists(named) ? Path.GetFullPath(named)
            : throw new CommandException($"there is no Python {named}: name an interpreter with --python");
    }

    /// <summary>The virtual environment whose <c>bin</c> or <c>Scripts</c> a program lies in; null where it lies in none.</summary>
    internal static string? Around(string? program) =>
        Path.GetDirectoryName(Path.GetDirectoryName(program)) is { } environment
            // What makes a folder a virtual environment: https://docs.python.org/3/library/venv.html
            && File.Exists(Path.Combine(environment, "pyvenv.cfg"))
            ? environment
            : null;

    /// <summary>The interpreter that pip put a program beside; on Windows it is a folder above. Null where there is none.</summary>
    internal static string? Beside(string? program, bool windows) => Path.GetDirectoryName(program) is { } folder
        ? ((string[])(windows ? ["python.exe", "../python.exe"] : ["python3"]))
            .Select(name => Path.GetFullPath(Path.Combine(folder, name))).FirstOrDefault(File.Exists)
        : null;

    private static string In(string? environment) => (environment, OperatingSystem.IsWindows()) switch
    {
        (null, var windows) => Beside(Environment.ProcessPath, windows) ?? (windows ? "python" : "python3"),
        (_, true) => Path.Combine(environment, "Scripts", "python.exe"),
        (_, false) => Path.Combine(environment, "bin", "python"),
    };
}
