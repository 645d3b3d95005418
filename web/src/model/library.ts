// Materials to begin with. Numbers of soft materials depend on batch, cure and strain: these are starting points, each with where it is from.
import { defaultMaterial, type Material, type SignalDef } from './types';

export interface LibraryEntry {
  name: string;
  kind: string;
  youngs_modulus: number; // Pa
  poissons_ratio: number;
  density: number; // kg/m^3
  friction?: [number, number];
  expansion?: number;
  color: string;
  source: string;
  signal?: Pick<SignalDef, 'name' | 'amplitude' | 'period'>;
}

const ASHBY = 'M. F. Ashby, Materials Selection in Mechanical Design, appendix A';

export const LIBRARY: LibraryEntry[] = [
  { name: 'muscle', kind: 'Actuators', youngs_modulus: 1e6, poissons_ratio: 0.35, density: 1060, expansion: 0.01, friction: [1, 0.8], color: '#c9523f', signal: { name: 'stride', amplitude: 10, period: 0.5 },
    source: 'An idealised muscle for design: swells and shrinks by 1 % per kelvin of its signal. Density of muscle: J. Mendez, A. Keys, Metabolism 9, 184 (1960)' },
  { name: 'voxel actuator, soft', kind: 'Actuators', youngs_modulus: 1e5, poissons_ratio: 0.35, density: 1000, expansion: 0.02, friction: [1, 0.8], color: '#b8456b', signal: { name: 'stride', amplitude: 10, period: 0.5 },
    source: 'An idealised soft actuator: 2 % per kelvin of its signal' },
  { name: 'Ecoflex 00-30', kind: 'Silicones', youngs_modulus: 6.9e4, poissons_ratio: 0.49, density: 1070, color: '#e9c7a3', source: 'Smooth-On, Ecoflex series technical bulletin: modulus at 100 % 10 psi, tensile strength 200 psi, 1.07 g/cm³' },
  { name: 'Dragon Skin 10', kind: 'Silicones', youngs_modulus: 1.51e5, poissons_ratio: 0.49, density: 1070, color: '#dcb58c', source: 'Smooth-On, Dragon Skin series technical bulletin: modulus at 100 % 22 psi, tensile strength 475 psi, 1.07 g/cm³' },
  { name: 'Dragon Skin 30', kind: 'Silicones', youngs_modulus: 5.93e5, poissons_ratio: 0.49, density: 1080, color: '#cfa276', source: 'Smooth-On, Dragon Skin series technical bulletin: modulus at 100 % 86 psi, tensile strength 500 psi, 1.08 g/cm³' },
  { name: 'PDMS (Sylgard 184)', kind: 'Silicones', youngs_modulus: 2e6, poissons_ratio: 0.49, density: 1030, color: '#b9c9d6', source: 'I. D. Johnston et al., J. Micromech. Microeng. 24, 035017 (2014): 1.3 to 3.0 MPa depending on the temperature of cure' },
  { name: 'natural rubber', kind: 'Rubbers', youngs_modulus: 2e6, poissons_ratio: 0.49, density: 930, friction: [1.2, 1], color: '#c98b4b', source: `${ASHBY}: 1.5 to 2.5 MPa, 920 to 930 kg/m³` },
  { name: 'TPU (NinjaFlex 85A)', kind: 'Rubbers', youngs_modulus: 1.2e7, poissons_ratio: 0.48, density: 1190, color: '#4f86c6', source: 'NinjaTek, NinjaFlex technical specifications: tensile modulus 12 MPa, 1.19 g/cm³' },
  { name: 'hydrogel (polyacrylamide)', kind: 'Gels and tissue', youngs_modulus: 1.06e4, poissons_ratio: 0.48, density: 1020, friction: [0.2, 0.1], color: '#8fc7c2', source: 'J. R. Tse, A. J. Engler, Curr. Protoc. Cell Biol. 47, 10.16 (2010): 10.6 kPa for 10 % acrylamide and 0.1 % bis-acrylamide' },
  { name: 'muscle tissue, resting', kind: 'Gels and tissue', youngs_modulus: 1.2e4, poissons_ratio: 0.49, density: 1060, color: '#b04a52', source: 'A. J. Engler et al., J. Cell Biol. 166, 877 (2004): about 12 kPa across the fibres; density: J. Mendez, A. Keys, Metabolism 9, 184 (1960)' },
  { name: 'foam, flexible', kind: 'Foams', youngs_modulus: 1e6, poissons_ratio: 0.25, density: 50, color: '#e6d36b', source: `${ASHBY}: flexible polymer foam of low density, 1 to 3 MPa, 38 to 70 kg/m³` },
  { name: 'cork', kind: 'Foams', youngs_modulus: 2.5e7, poissons_ratio: 0.1, density: 180, color: '#b08d5f', source: `${ASHBY}: 13 to 50 MPa, 120 to 240 kg/m³` },
  { name: 'PLA', kind: 'Plastics', youngs_modulus: 3.5e9, poissons_ratio: 0.36, density: 1240, friction: [0.4, 0.3], color: '#7d8794', source: `${ASHBY}: 3.3 to 3.6 GPa, 1210 to 1250 kg/m³. Stiff: small time steps` },
  { name: 'ABS', kind: 'Plastics', youngs_modulus: 2e9, poissons_ratio: 0.39, density: 1050, friction: [0.4, 0.3], color: '#5f6b7a', source: `${ASHBY}: 1.1 to 2.9 GPa, 1010 to 1210 kg/m³. Stiff: small time steps` },
];

export function makeMaterial(e: LibraryEntry): Material {
  return {
    ...defaultMaterial(), name: e.name, youngs_modulus: e.youngs_modulus, poissons_ratio: e.poissons_ratio, density: e.density, expansion: e.expansion ?? 0, color: e.color,
    friction: { static: e.friction?.[0] ?? 1, dynamic: e.friction?.[1] ?? 0.8 },
  };
}
