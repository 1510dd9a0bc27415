using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>
/// The tokens of a session: those that the person gave, those that it makes itself, which of them started agents get, and
/// which are printed.
/// </summary>
internal sealed class SessionAccess
{
    private readonly SessionOptions _options;
    private readonly List<(uint? Side, string Token)> _made = [];
    private readonly string? _pageToken;

    /// <param name="options">What was asked for.</param>
    /// <exception cref="AddressException">An address is none.</exception>
    internal SessionAccess(SessionOptions options)
    {
        _options = options;
        Tokens = options.Access.Tokens;
        IsLocal = Beyond(options.GrpcAddress, options.WebAddress).Count == 0;
        foreach (var side in options.Access.SidesApart)
        {
            Make(side, new Identity(Whose(side), Roles.Watch | Roles.Hold | Roles.Play, side));
        }

        // Who gave tokens has all that others need; the started agents need one too.
        var isNeeded = !IsLocal && !options.Access.IsInsecure && (Tokens.IsEmpty || options.Agents.Count > 0);
        if (_made.Count == 0 && isNeeded)
        {
            Make(null, new Identity(Whose(null), Roles.All));
        }

        // The person who starts a match may see all of it. Of those that this person gave, we do not choose one.
        var pageIsLocal = BridgeAddress.Parse(options.WebAddress).IsLocal || options.Access.IsInsecure;
        if (options.Server.ServesPage && options.Access.Tokens.IsEmpty && (options.Access.SidesApart.Count > 0 || !pageIsLocal))
        {
            _pageToken = TokenStore.NewToken();
            Tokens = Tokens.With(_pageToken, new Identity("the page", Roles.Watch | Roles.Control));
        }
    }

    /// <summary>The live page's address, with its token where it takes one; null where there is none.</summary>
    /// <param name="web">Where the WebSocket server listens.</param>
    /// <param name="near">Whether the browser runs on this machine.</param>
    internal string? Page(string web, bool near) =>
        !_options.Server.ServesPage || ServerUrl.Page(web, _options.Access.Tls, near) is not { } address ? null
        : _pageToken is null ? address
        : $"{address}#token={_pageToken}";

    /// <summary>All of them.</summary>
    internal TokenStore Tokens { get; private set; }

    /// <summary>Whether only programs of this machine can connect.</summary>
    internal bool IsLocal { get; }

    /// <summary>What a started agent gets.</summary>
    internal AgentCredentials CredentialsOf(AgentSpec agent)
    {
        var side = agent.Side ?? _options.FirstSide;
        var token = _made.Find(one => one.Side is null || one.Side == side).Token;
        return new AgentCredentials(token, _options.Access.Tls?.Fingerprint);
    }

    /// <summary>What the person has to know who starts clients.</summary>
    /// <param name="grpc">Where the gRPC server listens.</param>
    /// <param name="web">Where the WebSocket server does.</param>
    internal IEnumerable<string> Lines(string grpc, string web)
    {
        var access = _options.Access;
        if (!IsLocal && access.IsInsecure)
        {
            yield return $"--insecure: whoever reaches {string.Join(" or ", Beyond(grpc, web))} may watch this match, hold "
                + "it, play and control it";
        }

        if (!IsLocal && access.Tls is null)
        {
            yield return "Beyond this machine all that is sent can be read on the way, tokens too: --tls-self-signed "
                + "or --tls-cert encrypts it";
        }

        if (access.Tls is { } tls)
        {
            yield return $"TLS: the certificate's fingerprint is {tls.Fingerprint} (SC2BRIDGE_FINGERPRINT, for your own "
                + "agents)";
        }

        var (toGrpc, toWeb) = (ServerUrl.Grpc(grpc, access.Tls, near: false), ServerUrl.Web(web, access.Tls, near: false));
        foreach (var (side, token) in Printed)
        {
            yield return $"For {Whose(side)}: SC2BRIDGE_TOKEN={token} with {toGrpc}, or {toWeb}?token={token}";
        }
    }

    /// <summary>The tokens that somebody has to use.</summary>
    internal IEnumerable<SideToken> Printed => _made.Where(one => IsPrinted(one.Side)).Select(one => new SideToken(one.Side, one.Token));

    // Those that somebody has to use: where every agent was started by the match, nobody.
    private bool IsPrinted(uint? side) => _options.Access.Tokens.IsEmpty
        && (_options.WaitFor > 0 || !IsLocal
            || !_options.Agents.Any(agent => side is null || (agent.Side ?? _options.FirstSide) == side));

    private void Make(uint? side, Identity identity)
    {
        var token = TokenStore.NewToken();
        _made.Add((side, token));
        Tokens = Tokens.With(token, identity);
    }

    private static string Whose(uint? side) => side is null ? "this bridge" : $"player {side}'s side";

    private static List<string> Beyond(params string[] addresses) =>
        [.. addresses.Where(address => !BridgeAddress.Parse(address).IsLocal)];
}
