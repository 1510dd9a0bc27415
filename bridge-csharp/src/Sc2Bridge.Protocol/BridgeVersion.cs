using System.Reflection;

namespace Sc2Bridge.Protocol;

/// <summary>The version of this program, and the versions of its messages.</summary>
public static class BridgeVersion
{
    /// <summary>The version of the messages. Each release that adds to the messages increases the version by 1.</summary>
    public const uint Protocol = 1;

    /// <summary>The oldest message version that the bridge accepts from clients.</summary>
    public const uint OldestProtocol = 1;

    /// <summary>The program's version, such as <c>0.1.0</c>.</summary>
    public static string Program { get; } = typeof(BridgeVersion).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
}
