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
    /// <param name="named">
    /// The interpreter that was asked for. If null, the first of these: of the environment that the launcher names, of the environment that
    /// contains this program, of the environment that <c>sc2bridge.cmd</c> made in this clone, next to this program as conda has it, on the
    /// path.
    /// </param>
    public static string Find(string? named)
    {
        if (named is null)
        {
            var made = OperatingSystem.IsWindows() ? InClone(RepositoryFolder.Root) : null;
            return In(Environment.GetEnvironmentVariable("SC2BRIDGE_PYTHON_ENVIRONMENT") ?? Around(Environment.ProcessPath) ?? made);
        }

        // Who starts it may stand in another folder. A name without one is looked for on the path.
        return Path.GetFileName(named) == named && !File.Exists(named) ? named : Path.GetFullPath(named);
    }

    /// <summary>The interpreter that <c>--python</c> names; null if it names none.</summary>
    /// <exception cref="CommandException">The file does not exist.</exception>
    public static string? Named(string? path)
    {
        var found = path is null ? null : Find(path);
        return Path.IsPathRooted(found) && !File.Exists(found)
            ? throw new CommandException($"there is no Python {path}: name an interpreter with --python") : found;
    }

    /// <summary>The virtual environment whose <c>bin</c> or <c>Scripts</c> a program lies in; null where it lies in none.</summary>
    internal static string? Around(string? program) =>
        Path.GetDirectoryName(Path.GetDirectoryName(program)) is { } environment
            // What makes a folder a virtual environment: https://docs.python.org/3/library/venv.html
            && File.Exists(Path.Combine(environment, "pyvenv.cfg"))
            ? environment
            : null;

    /// <summary>
    /// The virtual environment that <c>sc2bridge.cmd</c> made in a clone, or null. No variable names this environment: cmd has forgotten the
    /// batch job's variables when the program starts.
    /// </summary>
    internal static string? InClone(string? root) =>
        root is not null && File.Exists(Path.Combine(root, ".venv", "Scripts", "python.exe")) ? Path.Combine(root, ".venv") : null;

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
