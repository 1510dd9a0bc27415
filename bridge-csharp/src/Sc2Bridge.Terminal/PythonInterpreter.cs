namespace Sc2Bridge.Terminal;

/// <summary>Finds the Python that was set up.</summary>
public static class PythonInterpreter
{
    /// <summary>The interpreter.</summary>
    /// <param name="named">The one that was asked for; null for the environment that the launcher names, and else the
    /// one on the path.</param>
    public static string Find(string? named)
    {
        if (named is not null)
        {
            return named;
        }

        var environment = Environment.GetEnvironmentVariable("SC2BRIDGE_PYTHON_ENVIRONMENT");
        return environment is null
            ? OperatingSystem.IsWindows() ? "python" : "python3"
            : OperatingSystem.IsWindows()
                ? Path.Combine(environment, "Scripts", "python.exe")
                : Path.Combine(environment, "bin", "python");
    }
}
